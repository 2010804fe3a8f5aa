"""The job that answers a question, by the same function as the command line and the web.

It answers from the latest `embeddings` and `ontology_graph` and records which knowledge version that was. Dagster
keeps what is typed into its launchpad, which is why questions from elsewhere come as the uid of a chat message.
"""
# No postponed annotations: Dagster looks at the types of an op's arguments.

from dagster import Config, JobDefinition, OpExecutionContext, ResourceParam, job, op
from pydantic import Field

from rag_assets.app import App
from rag_assets.orchestration import reporting
from rag_assets.orchestration.jobs import QUERY
from rag_assets.orchestration.watching import Watcher


class Question(Config):
    """What is asked: words typed by a person here, or a message that waits for its answer in a chat."""

    question: str = Field("", description="The question. Dagster keeps what is typed here until the run is purged.")
    message_id: str = Field("", description="Uid of a chat message; its words stay in the database.")
    collection: str = Field("", description="`documents` or `system_docs`; empty looks in both.")


def query_job() -> JobDefinition:
    """Answers one question and stores the answer as a chat message; Dagster is told uids and counts."""

    @op(description="Answer a question from the present knowledge; the answer is stored as a chat message.")
    def answer_question(
        context: OpExecutionContext, config: Question, rag: ResourceParam[App], watcher: ResourceParam[Watcher]
    ) -> None:
        with reporting.without_text(watcher):
            answer = rag.ask(
                config.question,
                collections=(config.collection,) if config.collection else None,
                message=config.message_id or None,
            )
            context.add_output_metadata(
                {
                    "outcome": answer.outcome,
                    "session": answer.session,
                    "message": answer.message,
                    "sources": len(answer.sources),
                    "knowledge_version": answer.version or "",
                    "model": answer.model,
                }
            )

    @job(name=QUERY, description="Answer a question from the documents, with sources.")
    def query() -> None:
        answer_question()

    return query
