"""Other packages beside facelift: one model, one set of rules, the same people, one judge.

    facelift bench peers [--quick] [--figure FILE]       # asks, goes on where it was cut off
    python -m tools.benchmarks.peers --page              # writes docs/compared.md from the results

Every method runs in a process of its own, in a virtual environment that the command makes. What it
said of a person is one line of build/peers.jsonl (build/peers-quick.jsonl with --quick).
"""
