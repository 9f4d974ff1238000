"""What an agent begins and ends a conversation with: blocks that it always reads, a primer, summaries."""
