"""Answers requests about Harmony text with openai-harmony: one JSON object a line on standard input, one a line on
standard output.

{"op": "render", "messages": [...], "mode": "conversation" | "training" | "completion", "drop": bool} -> {"text": ...}
{"op": "parse", "text": ..., "role": ... | null} -> {"messages": [...]}
Whatever the library refuses is {"error": ...}.
"""

import json
import sys

from openai_harmony import (
    Author,
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    RenderConversationConfig,
    Role,
    SystemContent,
    ToolDescription,
    load_harmony_encoding,
)

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def content_of(content):
    """Text, or the library's own system or developer content."""
    if isinstance(content, str):
        return content
    if "system" in content:
        return SystemContent(**content["system"])
    fields = content["developer"]
    developer = DeveloperContent()
    if fields.get("instructions") is not None:
        developer = developer.with_instructions(fields["instructions"])
    tools = [ToolDescription.new(**tool) for tool in fields.get("tools", [])]
    return developer.with_function_tools(tools) if tools else developer


def message_of(fields):
    author = Author(role=Role(fields["role"]), name=fields.get("name"))
    message = Message.from_author_and_content(author, content_of(fields["content"]))
    for key in ("channel", "recipient", "content_type"):
        if fields.get(key) is not None:
            setattr(message, key, fields[key])
    return message


def render(request):
    conversation = Conversation.from_messages([message_of(fields) for fields in request["messages"]])
    config = RenderConversationConfig(auto_drop_analysis=request["drop"])
    if request["mode"] == "training":
        tokens = ENCODING.render_conversation_for_training(conversation, config=config)
    elif request["mode"] == "completion":
        tokens = ENCODING.render_conversation_for_completion(conversation, Role.ASSISTANT, config=config)
    else:
        tokens = ENCODING.render_conversation(conversation, config=config)
    return {"text": ENCODING.decode_utf8(tokens)}


def parse(request):
    tokens = ENCODING.encode(request["text"], allowed_special="all")
    role = Role(request["role"]) if request.get("role") else None
    messages = ENCODING.parse_messages_from_completion_tokens(tokens, role)
    return {
        "messages": [
            {
                "role": message.author.role.value,
                "name": message.author.name,
                "recipient": message.recipient,
                "channel": message.channel,
                "contentType": message.content_type,
                "content": "".join(content.text for content in message.content),
            }
            for message in messages
        ]
    }


def main():
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = render(request) if request["op"] == "render" else parse(request)
        except Exception as error:  # The library's own words are the answer.
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
