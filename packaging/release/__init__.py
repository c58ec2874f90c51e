"""The parts of a release. scripts/release puts them together."""
