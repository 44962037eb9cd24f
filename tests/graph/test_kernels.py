"""Compiled code is forgotten when what it was made of has changed; work spaces stay clean."""

import os

import numpy as np
import pytest
from scipy import sparse

from facelift.graph import Graph, compiled
from facelift.graph.kernels import forget_stale, workspace


def test_machine_code_older_than_any_source_is_removed(tmp_path):
    sources = [tmp_path / "queue.py", tmp_path / "ways.py"]
    (tmp_path / "__pycache__").mkdir()
    kept = [tmp_path / "__pycache__" / name for name in ("a.nbi", "a.1.nbc", "ways.pyc")]
    for age, file in [(300, sources[0]), (100, sources[1]), *((200, each) for each in kept)]:
        file.touch()
        os.utime(file, (10_000 - age,) * 2)
    forget_stale(tmp_path, sources)
    assert [each.exists() for each in kept] == [False, False, True]
    for file in sources:
        os.utime(file, (9_000, 9_000))
    kept[0].touch()
    forget_stale(tmp_path, sources)
    assert kept[0].exists()


def test_the_space_of_a_search_that_failed_is_not_used_again():
    graph = Graph(np.zeros((5, 1)), sparse.csr_array(np.ones((5, 5))))

    def failing():
        with compiled.Outward(graph, 0, np.ones(5, dtype=bool)) as search:
            search.nearest(2)
            raise MemoryError

    with pytest.raises(MemoryError):
        failing()
    assert not workspace._spaces[graph]
