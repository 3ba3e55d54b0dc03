"""Results: what was run with its metrics by seed (`result`), and the plug-in that keeps it
(`recorder`)."""
