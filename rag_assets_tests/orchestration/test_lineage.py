"""The tags that carry lineage, under the names by which Dagster looks for them."""

from __future__ import annotations

from dagster import AssetKey
from dagster._core.definitions import data_version as dagsters

from rag_assets.orchestration import lineage
from rag_assets.orchestration.lineage import Made


def test_tags_have_the_names_that_dagster_reads():
    assert lineage.tags("chunks", "d" * 64, "chunker-1", Made("u" * 64, 17)) == {
        dagsters.DATA_VERSION_TAG: "d" * lineage.VERSION_LENGTH,
        dagsters.CODE_VERSION_TAG: "chunker-1",
        dagsters.get_input_data_version_tag(AssetKey("documents")): "u" * lineage.VERSION_LENGTH,
        dagsters.get_input_event_pointer_tag(AssetKey("documents")): "17",
    }


def test_the_first_stage_and_an_untold_upstream_have_no_input_tags():
    names = {dagsters.DATA_VERSION_TAG, dagsters.CODE_VERSION_TAG}
    assert lineage.tags("documents", "d", "c", None).keys() == names
    assert lineage.tags("statements", "d", "c", None).keys() == names
