"""A verifier in JavaScript beside the library's, and what holds the two to each other."""
