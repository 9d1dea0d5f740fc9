"""A deterministic simulation of the whole system in one process: virtual time, seeded order, seeded faults.

Production code runs over adapters that live in memory: the services' store, bus, tokens, tasks and gRPC are replaced,
nothing else. One number, the seed, decides the scenario, every delay, every fault and who runs next, so a seed that
fails can be run again. `python -m tests.sim --help` says how.
"""
