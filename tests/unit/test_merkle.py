"""R60, R61: the Merkle tree of RFC 9162, its proofs and their verification."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.merkle import EMPTY_ROOT, Frontier, Tree, continues, includes, leaf_hash, node_hash

ENTRIES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The entries and roots that implementations of certificate transparency are tested with."""

LEAVES = [leaf_hash(number.to_bytes(2, "big")) for number in range(140)]
TREE = Tree(LEAVES)
sizes = st.integers(1, len(LEAVES))


def by_definition(leaves: Sequence[bytes]) -> bytes:
    """RFC 9162, 2.1.1, word for word."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return node_hash(by_definition(leaves[:split]), by_definition(leaves[split:]))


@pytest.mark.parametrize("size", range(1, 9))
def test_known_trees_have_their_known_roots(size: int) -> None:
    leaves = [leaf_hash(entry) for entry in ENTRIES[:size]]
    assert Frontier().extended(leaves).root.hex() == ROOTS[size - 1]
    assert Tree(leaves).root(size).hex() == ROOTS[size - 1]


def test_known_proofs_are_made() -> None:
    tree = Tree(map(leaf_hash, ENTRIES))
    assert [node.hex() for node in tree.inclusion_proof(5, 8)] == [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]
    assert [node.hex() for node in tree.consistency_proof(6, 8)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert Frontier().root == Tree().root(0) == EMPTY_ROOT
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(sizes, sizes)
def test_a_frontier_grown_in_any_steps_has_the_root_of_the_definition(first: int, second: int) -> None:
    first, second = sorted((first, second))
    grown = Frontier().extended(LEAVES[:first])
    assert grown.root == by_definition(LEAVES[:first]) == TREE.root(first)
    assert grown.extended(LEAVES[first:second]).root == by_definition(LEAVES[:second])


def test_every_leaf_of_every_tree_is_proven_and_nothing_else() -> None:
    for size in range(1, 40):
        root = by_definition(LEAVES[:size])
        for index in range(size):
            proof = TREE.inclusion_proof(index, size)
            assert includes(root, size, index, LEAVES[index], proof)
            assert not includes(root, size, index, LEAVES[index + 1], proof)
            assert not includes(root, size, index, LEAVES[index], (*proof, root))
            assert not includes(root, size, index, LEAVES[index], proof[1:]) or not proof


def test_every_earlier_tree_is_proven_to_be_continued() -> None:
    for size in range(40):
        root = by_definition(LEAVES[:size])
        for old in range(size + 1):
            proof = TREE.consistency_proof(old, size)
            assert continues(by_definition(LEAVES[:old]), old, root, size, proof)
            assert not continues(LEAVES[-1], old, root, size, proof)
            assert not continues(by_definition(LEAVES[:old]), old, root, size, (*proof, root))


@given(st.data())
def test_a_changed_proof_of_inclusion_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, len(LEAVES)))
    index = data.draw(st.integers(0, size - 1))
    proof = list(TREE.inclusion_proof(index, size))
    at = data.draw(st.integers(0, len(proof) - 1))
    proof[at] = data.draw(st.binary(min_size=32, max_size=32).filter(lambda other: other != proof[at]))
    assert not includes(TREE.root(size), size, index, LEAVES[index], proof)


@given(st.data())
def test_a_history_that_was_rewritten_is_not_continued(data: st.DataObject) -> None:
    """R60: one earlier leaf replaced, whatever honest proof of either tree is shown."""
    old = data.draw(st.integers(1, len(LEAVES) - 1))
    new = data.draw(st.integers(old, len(LEAVES)))
    at = data.draw(st.integers(0, old - 1))
    forged = Tree([*LEAVES[:at], leaf_hash(b"forged"), *LEAVES[at + 1 :]])
    for proof in (TREE.consistency_proof(old, new), forged.consistency_proof(old, new)):
        assert not continues(TREE.root(old), old, forged.root(new), new, proof)


@given(sizes, sizes, st.lists(st.binary(min_size=32, max_size=32), max_size=9))
def test_proofs_made_of_anything_are_answered_and_not_believed(first: int, second: int, proof: list[bytes]) -> None:
    old, new = sorted((first, second))
    if old < new:
        assert not continues(TREE.root(old), old, TREE.root(new), new, proof)
    assert not includes(TREE.root(new), new, old - 1, leaf_hash(b"forged"), proof)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0), (0, 141)])
def test_a_leaf_outside_the_tree_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="tree of 140 leaves"):
        TREE.inclusion_proof(index, size)
    assert not includes(EMPTY_ROOT, size, index, LEAVES[0], ()) or size == 141


def test_a_larger_tree_is_not_continued_by_a_smaller() -> None:
    with pytest.raises(ValueError, match="tree of 140 leaves"):
        TREE.consistency_proof(5, 4)
    assert not continues(TREE.root(5), 5, TREE.root(4), 4, ())


def test_peaks_that_do_not_belong_to_the_size_are_refused() -> None:
    with pytest.raises(ValueError, match="1 peaks do not belong to a tree of 3 leaves"):
        Frontier(3, (LEAVES[0],))
