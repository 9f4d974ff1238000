"""Adds attributes of OpenTelemetry's conventions to the spans that the MCP library starts for calls.

If there is no tracer, spans are not recorded, and no attributes are computed. Texts are added only if the environment
variable in `CAPTURE` is set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import cast

from opentelemetry.trace import get_current_span

from graph_memory.mcp_server.callers import Context, connection_session, is_over_http, session_of
from graph_memory.model.events import is_generated_id
from graph_memory.model.values.arguments import is_domain

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CAPTURE_VALUES = frozenset({"true", "span_only", "span_and_event"})

MEMORY_OPERATIONS: Mapping[str, str] = {
    name: operation
    for operation, names in {
        "create_memory": "create_node create_connection create_cross_domain_link create_entities create_relations "
        "add_observations record_event record_pattern set_goal infer_connections create_file",
        "update_memory": "update_node update_connection update_entity update_observation update_goal "
        "update_user_profile set_validity set_relation_importance merge_entities apply_pattern_result memory_revert "
        "memory_revert_session memory_merge str_replace_in_file insert_into_file rename_file",
        "upsert_memory": "remember decide execute_batch edit_block session_end",
        "delete_memory": "delete_node delete_connection delete_cross_domain_link delete_entities delete_observations "
        "delete_relations delete_file forget memory_erase",
        "search_memory": "get_node get_node_content get_connection get_connected_nodes get_neighbors query_nodes "
        "get_communities get_node_uses "
        "query_connections query_cypher search_content search_memories search_semantic hybrid_search recall "
        "memory_context memory_query memory_synthesize memory_as_of traverse_memories find_path find_contradictions "
        "get_strongest_connections get_weak_relations list_cross_domain_links read_graph search_nodes open_nodes "
        "find_similar find_duplicates find_orphans get_recent get_hot get_salient get_by_type get_block session_start "
        "get_events match_patterns get_best_patterns list_goals get_user_profile query_memory view_file",
        "create_memory_store": "create_domain memory_branch",
        "delete_memory_store": "delete_domain",
    }.items()
    for name in names.split()
}
"""The operation names of the OpenTelemetry conventions for GenAI memories, by tool. Other tools have `execute_tool`."""
_ID_FIELDS = ("node_id", "connection_id", "link_id", "goal_id", "pattern_id", "subject", "id")
_RECORD_FIELDS = ("hits", "node_ids", "connection_ids", "nodes", "entities", "events", "goals")
"""Result fields with a list of records. The span contains the number of records."""


def describe_call(
    operation: str, ctx: Context, arguments: Mapping[str, object], session: str | None, domain: str | None
) -> None:
    """Add a call's operation, transport, session, domain and record to its span.

    `session` is the call's session argument. `domain` is used if the call has no domain. Over HTTP, the span contains
    the session of the log, because the id of the protocol's session would let a reader of the traces take over that
    session.
    """
    span = get_current_span()
    if not span.is_recording():
        return
    if operation in MEMORY_OPERATIONS:
        span.set_attribute("gen_ai.operation.name", MEMORY_OPERATIONS[operation])
    span.set_attribute("network.transport", "tcp" if is_over_http(ctx) else "pipe")
    if (name := session or session_of(ctx) or connection_session(ctx)) is not None:
        span.set_attribute("mcp.session.id", name)
    store_name = arguments.get("name") if operation in ("create_domain", "delete_domain") else None
    store = store_name or arguments.get("domain") or domain
    if isinstance(store, str) and is_domain(store):
        span.set_attribute("gen_ai.memory.store.id", store)
    if (record := _record_id(arguments)) is not None:
        span.set_attribute("gen_ai.memory.record.id", record)
    if _captures_texts():
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(arguments, default=str))
        if isinstance(query := arguments.get("query"), str):
            span.set_attribute("gen_ai.memory.query.text", query)


def describe_result(result: Mapping[str, object]) -> None:
    """Add the id of the result's record, and the number of records, to the span of the call."""
    span = get_current_span()
    if not span.is_recording():
        return
    if (record := _record_id(result)) is not None:
        span.set_attribute("gen_ai.memory.record.id", record)
    records = next((result[name] for name in _RECORD_FIELDS if isinstance(result.get(name), list | tuple)), None)
    if records is not None:
        span.set_attribute("gen_ai.memory.record.count", len(cast("Sequence[object]", records)))
    if _captures_texts():
        span.set_attribute("gen_ai.tool.call.result", json.dumps(result, default=str))


def describe_outcome(code: str) -> None:
    """Add a failed call's error code to its span, because the MCP library sets the same `error.type` for all errors."""
    get_current_span().set_attribute("graph_memory.error.code", code)


def _record_id(values: Mapping[str, object]) -> str | None:
    """Return the id of the record that a call or result is about, or None.

    Only generated ids are returned, because other ids may contain user text.
    """
    ids = (values.get(name) for name in _ID_FIELDS)
    return next((value for value in ids if isinstance(value, str) and is_generated_id(value)), None)


def _captures_texts() -> bool:
    return os.environ.get(CAPTURE, "").strip().lower() in _CAPTURE_VALUES
