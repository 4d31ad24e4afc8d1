"""What a stage may reach the world with: the wiring fills it, tests fill it with fakes."""
