"""The work graph over HTTP: nodes, edges, lists, questions, plans, journal."""

import base64
import json
from typing import Any

import pytest
from e2e.conftest import Api, edge, node


async def test_a_node_is_added_read_changed_and_removed(api: Api) -> None:
    """The life of one node, with every kind of value it can hold."""
    given = node(
        "n/1 %é",
        requires=["t2", "t1"],
        produces=["p"],
        tags=["b", "a"],
        guards=["file: x", {"type": "assertion", "value": {"deep": [1, None]}}],
        artifacts={"files": ["a.py"]},
        successCriteria=["works"],
        createdAt="2025-01-27T12:30:00.5+02:00",
        extra={"estimate_minutes": 30},
    )
    added = await api.run("NodeAdd", input={"node": given})
    assert added["id"] == f"WorkNode:{api.project}/n%2F1 %25é"
    shown = await api.run("NodeShow", id="n/1 %é")
    assert shown["nodeId"] == "n/1 %é"
    assert (shown["requires"], shown["produces"], shown["tags"]) == (
        ["t2", "t1"],
        ["p"],
        ["b", "a"],
    )
    assert shown["guards"] == given["guards"]
    assert shown["createdAt"] == "2025-01-27T10:30:00.5Z"
    assert (shown["estimateMinutes"], shown["status"], shown["revision"]) == (30.0, "READY", 1)
    assert {k: v for k, v in shown.items() if k in added} == added
    changed = await api.run(
        "NodeUpdate",
        input={"id": "n/1 %é", "summary": "New", "guards": None, "expectedRevision": 1},
    )
    assert (changed["summary"], changed["guards"], changed["revision"]) == ("New", None, 2)
    assert changed["artifacts"] == {"files": ["a.py"]}
    removed = await api.run("NodeRemove", input={"id": "n/1 %é"})
    assert removed == {"nodes": ["n/1 %é"], "edges": 0, "steps": 0}
    assert await api.run("NodeShow", id="n/1 %é") is None


async def test_anything_is_found_by_its_global_id(api: Api) -> None:
    """node(id) answers for every type that implements Node, and null for what is gone."""
    await api.graph([node("a")])
    await api.run("Plan", input={"goal": "g"})
    found = await api.read(
        'workNode(project: $p, id: "a") { id } runs(project: $p) { nodes { id goal } } '
        "journal(project: $p, first: 1) { nodes { id event } } project(project: $p) { id }"
    )
    ids = [
        found["workNode"]["id"],
        found["runs"]["nodes"][0]["id"],
        found["journal"]["nodes"][0]["id"],
        found["project"]["id"],
    ]
    for id_ in ids:
        answer = await api.post(
            "query N($id: ID!) { node(id: $id) { __typename id ... on Run { goal stepCount } "
            "... on WorkNode { summary } ... on JournalEntry { event } "
            "... on Project { nodes } } }",
            id=id_,
        )
        one = answer["data"]["node"]
        assert one["id"] == id_
        assert one["__typename"] == id_.partition(":")[0]
    gone = await api.post('{ node(id: "WorkNode:nowhere/x") { id } }')
    assert gone == {"data": {"node": None}}
    wrong = await api.post('{ node(id: "x") { id } }')
    assert wrong["errors"][0]["extensions"]["code"] == "INVALID"


@pytest.mark.parametrize("order", ["ID", "NEWEST", "OLDEST", "UPDATED", "STATUS", "KIND"])
async def test_pages_go_through_every_row_once(api: Api, order: str) -> None:
    """In each order, pages of three show every node once, and the cursor says when to end."""
    await api.graph([node(f"n{i:02}", kind=f"k{i % 3}") for i in range(10)])
    await api.run("NodeUpdate", input={"id": "n03", "status": "RUNNING"})
    seen: list[str] = []
    after, more = None, True
    while more:
        page = await api.run("NodeList", first=3, after=after, orderBy=order)
        assert page["totalCount"] == 10
        seen += [one["nodeId"] for one in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert sorted(seen) == [f"n{i:02}" for i in range(10)]
    assert len(seen) == 10
    if order == "ID":
        assert seen == sorted(seen)
    if order == "UPDATED":
        assert seen[0] == "n03"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"status": ["RUNNING", "COMPLETED"]}, "ab"),
        ({"kind": "code_symbol"}, "c"),
        ({"tag": "red"}, "a"),
        ({"requires": "x"}, "b"),
        ({"produces": "x"}, "a"),
        ({"text": "please b"}, "b"),
        ({"text": "pleas do"}, "abcd"),
        ({"text": "AND OR (+"}, ""),
        ({"parent": "a"}, "c"),
        ({"root": True}, "abd"),
        ({"root": False}, "c"),
        ({"ready": True}, "bc"),
        ({"orphan": True}, "d"),
        ({"orphan": False, "status": ["READY"]}, "c"),
        ({"createdAfter": "2000-01-01T00:00:00Z"}, "abcd"),
        ({"createdBefore": "2000-01-01T00:00:00Z"}, ""),
        ({"updatedAfter": "2000-01-01T00:00:00Z", "kind": "code_symbol"}, "c"),
    ],
)
async def test_filters_choose_rows(api: Api, given: dict[str, Any], expected: str) -> None:
    """Each member of the filter, alone and joined with others; the count follows it."""
    await api.graph(
        [
            node("a", tags=["red"], produces=["x"], status="COMPLETED"),
            node("b", requires=["x"]),
            node("c", kind="code_symbol", parent="a"),
            node("d", summary="Do d"),
        ],
        link=True,
    )
    if "status" in given:
        await api.run("NodeUpdate", input={"id": "b", "status": "RUNNING"})
    if given.get("ready"):
        await api.run("NodeUpdate", input={"id": "d", "status": "FAILED"})
    page = await api.run("NodeList", filter=given)
    assert "".join(one["nodeId"] for one in page["nodes"]) == expected
    assert page["totalCount"] == len(expected)


async def test_neighbours_carry_the_facts_of_their_edge(api: Api) -> None:
    """Prerequisites, dependants, children, parent and related nodes, with what joins them."""
    await api.graph(
        [
            node("a", produces=["x"]),
            node("b", requires=["x"], parent="a"),
            node("c", parent="a"),
            node("d"),
        ],
        [
            edge("c", "b", evidence="said so", provenance={"created_by": "me"}),
            edge("a", "d", type="RELATED", kind="see_also"),
            edge("b", "c", type="SOFT_SEMANTIC", score=0.9),
        ],
        link=True,
    )
    found = await api.read(
        """workNode(project: $p, id: "b") {
             parentId parent { nodeId children { totalCount nodes { nodeId parentId } } }
             prerequisites { totalCount edges { cursor origin tags evidence closesCycle provenance
               createdAt version node { nodeId } } }
             softNeighbours { edges { score node { nodeId } } }
           }
           a: workNode(project: $p, id: "a") {
             childIds dependants(filter: {status: [READY]}) { nodes { nodeId } }
             related { edges { kind node { nodeId } } } }"""
    )
    b, a = found["workNode"], found["a"]
    assert (b["parentId"], b["parent"]["nodeId"]) == ("a", "a")
    assert [one["nodeId"] for one in b["parent"]["children"]["nodes"]] == a["childIds"]
    assert sorted(a["childIds"]) == ["b", "c"]
    first, second = b["prerequisites"]["edges"]
    assert (first["node"]["nodeId"], first["origin"], first["tags"]) == ("a", "DERIVED", ["x"])
    assert (second["origin"], second["evidence"]) == ("EXPLICIT", "said so")
    assert second["provenance"] == {"created_by": "me"}
    assert b["softNeighbours"]["edges"] == [{"score": 0.9, "node": {"nodeId": "c"}}]
    assert [one["nodeId"] for one in a["dependants"]["nodes"]] == ["b"]
    assert a["related"]["edges"] == [{"kind": "see_also", "node": {"nodeId": "d"}}]


async def test_edges_of_all_types_stand_in_one_list(api: Api) -> None:
    """WorkEdges filters and pages over every type, those that wait for a node included."""
    await api.graph(
        [node("a", parent="later"), node("b", parent="a"), node("c")],
        [
            edge("a", "b"),
            edge("b", "c", type="RELATED", kind="k1"),
            edge("b", "c", type="RELATED", kind="k2"),
            edge("c", "a", type="SOFT_SEMANTIC", score=0.5),
        ],
    )
    whole = await api.run("EdgeList", first=500)
    names = [(e["src"], e["type"], e["dst"], e["kind"], e["pending"]) for e in whole["nodes"]]
    assert names == [
        ("a", "DERIVED_FROM", "b", None, False),
        ("a", "HARD_REQUIRES", "b", None, False),
        ("a", "SOFT_SEMANTIC", "c", None, False),
        ("b", "RELATED", "c", "k1", False),
        ("b", "RELATED", "c", "k2", False),
        ("later", "DERIVED_FROM", "a", None, True),
    ]
    assert whole["totalCount"] == 6
    seen, after, more = [], None, True
    while more:
        page = await api.run("EdgeList", first=2, after=after)
        seen += [(e["src"], e["type"], e["dst"], e["kind"], e["pending"]) for e in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert seen == names

    async def chosen(**given: Any) -> list[str]:
        page = await api.run("EdgeList", filter=given)
        assert page["totalCount"] == len(page["nodes"])
        return [f"{e['src']}{e['dst']}" for e in page["nodes"]]

    assert await chosen(type=["HARD_REQUIRES"]) == ["ab"]
    assert await chosen(pending=True) == ["latera"]
    assert await chosen(pending=False, src="b") == ["bc", "bc"]
    assert await chosen(dst="b") == ["ab", "ab"]
    assert await chosen(type=["SOFT_SEMANTIC"], src="c") == ["ca"]
    ends = await api.read(
        'workEdges(project: $p, filter: {dst: "a", pending: true}) '
        "{ nodes { srcNode { nodeId } dstNode { nodeId summary } } }"
    )
    assert ends["workEdges"]["nodes"] == [
        {"srcNode": None, "dstNode": {"nodeId": "a", "summary": "Do a"}}
    ]


async def test_questions_are_answered(api: Api) -> None:
    """Reach, impact, why, cycles, unmet requirements, orphans, ready nodes and the tree."""
    await api.graph(
        [
            node("a", produces=["x"], status="FAILED"),
            node("b", requires=["x"], produces=["y"]),
            node("c", requires=["y", "nobody"], parent="b"),
            node("d"),
        ],
        link=True,
    )
    before = await api.run("Prerequisites", id="c")
    assert [(e["distance"], e["node"]["nodeId"]) for e in before["edges"]] == [(1, "b"), (2, "a")]
    first = await api.run("Dependants", id="a", first=1)
    rest = await api.run("Dependants", id="a", first=1, after=first["pageInfo"]["endCursor"])
    assert [p["edges"][0]["node"]["nodeId"] for p in (first, rest)] == ["b", "c"]
    assert (first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (True, False)
    impact = await api.run("Impact", id="a")
    assert (impact["direct"], impact["dependants"], impact["soleTags"]) == (["b"], 2, ["x"])
    why = await api.run("Why", id="c")
    assert (why[0]["cause"], why[0]["status"]) == ("a", "FAILED")
    assert [hop["dst"] for hop in why[0]["hops"]] == ["b", "c"]
    check = await api.run("EdgeCheck", src="c", dst="a")
    assert (check["closes"], check["path"]) == (True, ["c", "a", "b", "c"])
    assert await api.run("Cycles") == []
    assert await api.run("Unmet") == [{"tag": "nobody", "nodes": ["c"]}]
    assert [one["nodeId"] for one in (await api.run("Orphans"))["nodes"]] == ["d"]
    assert [one["nodeId"] for one in (await api.run("Ready"))["nodes"]] == ["d"]
    tree = await api.run("TreeOf", id="b")
    assert [(row["depth"], row["node"]["nodeId"], row["parent"]) for row in tree] == [
        (0, "b", None),
        (1, "c", "b"),
    ]


async def test_a_plan_is_previewed_kept_and_shown(api: Api) -> None:
    """The preview writes nothing; the plan is a run with steps, also seen from its nodes."""
    await api.graph([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c")])
    preview = await api.run("PlanPreview", targets=["b"])
    assert preview["layers"] == [["a"], ["b"]]
    assert preview["runId"] is None
    assert (await api.run("RunList"))["totalCount"] == 0
    plan = await api.run("Plan", input={"goal": "all", "workspace": "/w"})
    assert plan["orderedNodeIds"] == ["a", "b", "c"]
    run = await api.run("RunShow", id=plan["runId"], first=2)
    assert [(s["position"], s["node"]["nodeId"]) for s in run["steps"]["edges"]] == [
        (0, "a"),
        (1, "b"),
    ]
    assert (run["steps"]["totalCount"], run["steps"]["pageInfo"]["hasNextPage"]) == (3, True)
    assert (run["layers"], run["workspacePath"]) == ([["a"], ["b"], ["c"]], "/w")
    rest = await api.run(
        "RunShow", id=plan["runId"], first=2, after=run["steps"]["pageInfo"]["endCursor"]
    )
    assert [s["position"] for s in rest["steps"]["edges"]] == [2]
    shown = await api.run("NodeShow", id="b")
    assert [r["node"]["runId"] for r in shown["runs"]["edges"]] == [plan["runId"]]


async def test_the_journal_is_read_both_ways(api: Api) -> None:
    """From the first on, from the last back, above a seq, of one event; and it verifies."""
    await api.graph([node("a")])
    await api.run("NodeUpdate", input={"id": "a", "summary": "New"})
    forth = await api.run("JournalTail", orderBy="SEQ")
    back = await api.run("JournalTail", first=1)
    assert [e["seq"] for e in forth["nodes"]] == [1, 2, 3]
    assert forth["nodes"][0]["event"] == "workspace_initialized"
    assert forth["nodes"][0]["actor"] == "tester"
    assert back["nodes"][0] == forth["nodes"][-1]
    later = await api.run("JournalTail", filter={"afterSeq": 1, "event": "update_node"})
    assert [e["event"] for e in later["nodes"]] == ["update_node"]
    assert later["nodes"][0]["data"]["items"][0]["node"]["summary"] == "New"
    verified = await api.run("JournalVerify")
    assert (verified["chainOk"], verified["equal"]) == (True, True)
    assert await api.run("Digest") == verified["liveDigest"]


async def test_a_project_is_listed_set_and_removed(api: Api) -> None:
    """Counts, settings, and an end that takes everything along."""
    await api.graph([node("a"), node("b")], [edge("a", "b")])
    shown = await api.run("ProjectShow")
    assert (shown["nodes"], shown["edges"], shown["runs"]) == (2, 1, 0)
    changed = await api.run("ProjectSettings", input={"settings": {"description": "x"}})
    assert changed["settings"] == {"description": "x"}
    found: list[str] = []
    after, more = None, True
    while more:
        page = await api.run("ProjectList", first=500, after=after)
        found += [one["projectId"] for one in page["nodes"]]
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
    assert found.count(api.project) == 1
    assert (await api.run("ProjectRemove", input={}))["projectId"] == api.project
    assert await api.run("ProjectShow") is None


async def test_a_repeated_removal_succeeds_under_a_key(api: Api) -> None:
    """With any key a project that is gone is answered with zero counts, without one: NotFound."""
    await api.graph([node("a"), node("b")], [edge("a", "b")])
    first = await api.run("ProjectRemove", input={"idempotencyKey": "k"})
    assert (first["projectId"], first["nodes"], first["edges"]) == (api.project, 2, 1)
    again = await api.run("ProjectRemove", input={"idempotencyKey": "k"})
    assert (again["projectId"], again["nodes"], again["seq"]) == (api.project, 0, 0)
    assert (await api.run("ProjectRemove", input={}))["code"] == "NOT_FOUND"
    for key in ("", "k" * 257):
        assert (await api.run("ProjectRemove", input={"idempotencyKey": key}))["code"] == "INVALID"
    assert not await api.exists()


async def test_a_cursor_of_another_list_is_refused(api: Api) -> None:
    """A cursor names its order; others, damaged ones and forged ones are Invalid, never a crash."""
    await api.graph([node("a"), node("b")])
    page = await api.run("NodeList", first=1, orderBy="NEWEST")
    forged = [["NEWEST", "not a time", "a"], ["NEWEST", 1], ["ID", {"a": 1}], "ID", None]
    texts = [base64.urlsafe_b64encode(json.dumps(f).encode()).decode() for f in forged]
    for cursor in (page["pageInfo"]["endCursor"], "%%%", "", "ÿ", *texts):
        for order in ("ID", "NEWEST"):
            if order == "NEWEST" and cursor == page["pageInfo"]["endCursor"]:
                continue
            answer = await api.post(
                "query Q($p: String!, $c: String!, $o: WorkNodeOrder!) "
                "{ workNodes(project: $p, after: $c, orderBy: $o) { nodes { id } } }",
                p=api.project,
                c=cursor,
                o=order,
            )
            assert answer["errors"][0]["extensions"]["code"] == "INVALID", (cursor, answer)


async def test_an_edge_is_read_and_changed_by_its_name(api: Api) -> None:
    """By src, dst and type: absent members stay, null takes away, another name is null."""
    await api.graph([node("a"), node("b")], [edge("a", "b", evidence="said", extra={"k": 1})])
    which = {"src": "a", "dst": "b"}
    changed = await api.run("EdgeUpdate", input=which | {"evidence": None, "provenance": {"x": 1}})
    assert (changed["evidence"], changed["provenance"], changed["extra"]) == (
        None, {"x": 1}, {"k": 1},
    )  # fmt: skip
    assert changed == await api.run("EdgeShow", **which, type="HARD_REQUIRES")
    assert await api.run("EdgeShow", **which, type="RELATED") is None
    ends = await api.read('workEdge(project: $p, src: "a", dst: "b") { dstNode { nodeId } }')
    assert ends["workEdge"]["dstNode"] == {"nodeId": "b"}
    missing = await api.run("EdgeUpdate", input={"src": "b", "dst": "a", "evidence": "x"})
    assert (missing["__typename"], missing["code"]) == ("NotFound", "NOT_FOUND")
