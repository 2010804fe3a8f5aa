"""The verb `doctor`: what works, what is missing, and how to get it."""

from __future__ import annotations

import click

from rag_assets.cli.output import debug_option, json_option, opened, print_json


@click.command("doctor")
@json_option
@debug_option
def doctor_command(*, as_json: bool) -> int:
    """Examine the installation: Python, database, archive, index, model, folders, ontology, Dagster, servers.

    Exit status 0 when everything that is needed is in order, else 2.

    \b
    Examples:
      rag doctor
      rag doctor --json | jq '.checks[] | select(.state == "broken")'
    """
    from rag_assets.errors import DONE, WRONG_USE
    from rag_assets.governance.doctor import ABSENT, BROKEN, OK, Patient, examine

    with opened() as scope:
        app = scope.app
        checks = list(
            examine(
                Patient(
                    settings=scope.settings,
                    database=lambda: app.database,
                    archive=lambda: app.archive,
                    index=lambda: app.index,
                    embedder=lambda: app.embedder,
                    sources=lambda: app.sources,
                    ontology=lambda: app.ontology,
                )
            )
        )
    broken = sum(check.state == BROKEN for check in checks)
    if as_json:
        print_json(
            {
                "ok": not broken,
                "checks": [
                    {"name": check.name, "state": check.state, "detail": check.detail, "hint": check.hint}
                    for check in checks
                ],
            }
        )
    else:
        say = scope.say
        click.echo(say("doctor.title"))
        labels = {OK: "doctor.ok", BROKEN: "doctor.broken", ABSENT: "doctor.optional"}
        signs = {OK: "●", BROKEN: "✗", ABSENT: "·"}
        for check in checks:
            name = say(f"check.{check.name}")
            click.echo(f"  {signs[check.state]} {name:<26} {say(labels[check.state])}: {check.detail}")
            if check.hint:
                click.echo(f"    {check.hint}")
        click.echo(say("doctor.not_well", count=broken) if broken else say("doctor.all_well"))
    return WRONG_USE if broken else DONE
