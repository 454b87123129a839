from gotn.work.rules import tags


def test_a_derived_edge_is_001s_example() -> None:
    """Evidence and provenance are word for word those that 001 prints."""
    row = tags.derived("setup_web_server", "setup_database", ["web_server_ready"], "T")
    assert (
        "setup_database requires 'web_server_ready' which setup_web_server produces"
        == row["evidence"]
    )
    assert {"created_by": "edge_engine", "source": "requires_produces_match"} == row["provenance"]
    assert ("derived", "T", ["web_server_ready"]) == (row["origin"], row["created_at"], row["tags"])


def test_several_tags_are_joined() -> None:
    """By comma and space, in the order given."""
    assert "b requires 'x, y' which a produces" == tags.evidence("a", "b", ["x", "y"])
