"""Python as a browser has it: no threads, no sockets, no numba and no server; then a walk.

Run by `test_site.py` in a process of its own, with a wheel of facelift as its argument. Importing
it does nothing: pytest imports every file of the tests, and must not lose its own threads.
"""

import _thread
import json
import socket
import sys
import threading

ABSENT = {"numba", "llvmlite", "uvicorn", "h11", "anyio", "starlette", "anywidget"}


class Absent:
    """Nobody finds what a browser does not have."""

    def find_spec(self, name, *_):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refuse(*_, **__):
    raise RuntimeError("can't start new thread")


def no_socket(*_, **__):
    raise OSError("no sockets here")


def block():
    sys.meta_path.insert(0, Absent())
    threading.Thread.start = refuse
    _thread.start_new_thread = refuse
    socket.socket.__init__ = no_socket


def ask(name, body=None, **query):
    from facelift.cli.explore import answer

    head, content = answer(json.dumps({"id": "1", "ask": name, "body": body or {}, "query": query}))
    told = json.loads(head)
    assert "error" not in told, told
    return json.loads(content) if told["kind"] == "application/json" else content


def main():
    block()
    sys.path.insert(0, sys.argv[1])
    import facelift

    assert facelift.__file__.startswith(sys.argv[1]), facelift.__file__
    assert [each["key"] for each in ask("door")["examples"]] == ["german", "digits"]
    first = ask("everybody", {"table": "german"})
    assert first["state"] == "open"
    later = ask("everybody", {"table": "german"})
    assert later["everybody"]["done"] > first["everybody"]["done"]
    person = {"table": "german", "person": str(first["everybody"]["start"])}
    document, walked = ask("walk", **person), 0
    while document["state"] in ("walking", "one way") and walked < 3:
        move = {"kind": "take", "vertex": document["cards"]["cards"][0]["vertex"]}
        document = ask("walk", {"walk": document["walk"], "move": move}, **person)
        walked += 1
    letter = ask(
        "plan", {"walk": ask("walk", **person)["walk"], "way": "A", "language": "de"}, **person
    )
    csv = "savings,years,decision\n" + "".join(
        f"{i % 9},{i % 7},{'yes' if i % 9 > 4 else 'no'}\n" for i in range(80)
    )
    rules = ask("draft", {"name": "mine.csv", "text": csv})
    sys.stdout.write(
        json.dumps({"walked": walked, "letter": len(letter), "columns": len(rules["columns"])})
    )
    assert threading.active_count() == 1
    assert not ABSENT & {name.partition(".")[0] for name in sys.modules}


if __name__ == "__main__":
    main()
