"""Prints what Python's email package reads of the messages that are given in base64, one a line, as JSON."""
import base64, email, email.policy, json, sys


def tree(part, depth=0):
    filename = part.get_filename()
    fields = [part.get_content_type(), part.get_content_disposition(), part["Content-ID"], filename]
    if part.get_param("method"):
        fields.append("method=" + part.get_param("method"))
        if part.get_param("charset"):
            fields.append("charset=" + part.get_param("charset"))
    yield "  " * depth + " ".join(str(field) for field in fields if field)
    for child in part.iter_parts() if part.get_content_maintype() == "multipart" else []:
        yield from tree(child, depth + 1)


def read(line):
    message = email.message_from_bytes(base64.b64decode(line), policy=email.policy.default)
    return {"tree": list(tree(message)), "headers": {name.lower(): str(value) for name, value in message.items()}}


print(json.dumps([read(line) for line in sys.stdin]))
