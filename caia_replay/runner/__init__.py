"""The only place that joins a model, an agent, tools and an attack."""
