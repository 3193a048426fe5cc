"""The event log on NATS JetStream: sessions are written and read through `SessionLog`, and nothing else."""
