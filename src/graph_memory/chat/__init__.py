"""Chat clients for Ollama, OpenAI-compatible servers and Anthropic."""

from graph_memory.chat.choose import chat_model
from graph_memory.chat.model import ChatModel, ModelUnavailable, Reply

__all__ = ["ChatModel", "ModelUnavailable", "Reply", "chat_model"]
