"""Writes the messages that the source packages in a folder contain, each to a file, and what Python's email package reads of it.

usage: messages.py PACKAGES MESSAGES
"""

import email
import hashlib
import json
import os
import re
import sys
import tarfile
from email import policy
from email.header import decode_header, make_header

MAX_BYTES = 1_000_000
FIRST_FIELD = re.compile(rb"(?:From |>?From: |(?:Return-Path|Received|Delivered-To|From|Sender|Reply-To|Subject|Date|To|MIME-Version|Content-Type|Message-ID|X-[\w-]+):)", re.I)
FIELD = re.compile(rb"^(From|To|Subject|Date|Message-ID|Received|MIME-Version|Content-Type|Return-Path):", re.I | re.M)
ENVELOPE = re.compile(rb"^(?=From \S+.*\d\d:\d\d)", re.M)
# Sources and documentation can begin like a message.
TEXTS = (".po", ".pot", ".c", ".h", ".cpp", ".pm", ".pl", ".t", ".py", ".java", ".js", ".ts", ".go", ".rs", ".rb", ".sh", ".lua", ".html", ".xml", ".md", ".rst", ".json", ".yml", ".patch", ".diff", ".in", ".am", ".conf", ".cfg", ".out")


def messages_in(archive):
    for member in archive:
        if not member.isfile() or member.size > MAX_BYTES or member.name.lower().endswith(TEXTS):
            continue
        data = archive.extractfile(member).read()
        parts = ENVELOPE.split(data) if data.startswith(b"From ") else [data]
        yield from (part for part in parts if is_message(part))


def is_message(data):
    head = data[:5000]
    return FIRST_FIELD.match(head.lstrip()) and len({name.lower() for name in FIELD.findall(head)}) > 1


def judge(raw):
    message = email.message_from_bytes(raw)
    try:
        subject = email.message_from_bytes(raw, policy=policy.default)["subject"]
    except Exception:
        subject = None
    parts = []
    collect(message, parts)
    return {"subject": None if subject is None else str(subject), "parts": parts}


def collect(part, parts):
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for child in part.get_payload():
            collect(child, parts)
    elif not part.is_multipart():
        content = part.get_payload(decode=True) or b""
        text = None
        if part.get_content_maintype() == "text":
            try:
                text = content.decode(part.get_content_charset() or "us-ascii", "replace")
            except LookupError:
                text = content.decode("us-ascii", "replace")
        parts.append({
            "type": part.get_content_type(),
            "name": filename(part),
            "sha1": hashlib.sha1(content).hexdigest(),
            "isCutBase64": str(part.get("content-transfer-encoding", "")).lower() == "base64" and len(re.sub(r"\s", "", str(part.get_payload()))) % 4 != 0,
            "text": text,
        })


def filename(part):
    try:
        return str(make_header(decode_header(part.get_filename() or "")))
    except Exception:
        return None


def main(packages, folder):
    counts = {}
    for file in sorted(os.listdir(packages)):
        if not re.search(r"\.tar\.(gz|xz|bz2)$", file) or ".debian.tar" in file:
            continue
        package = file.split("_")[0]
        with tarfile.open(os.path.join(packages, file)) as archive:
            for raw in messages_in(archive):
                # As SMTP transports it.
                raw = re.sub(rb"\r?\n", b"\r\n", raw)
                name = os.path.join(folder, f"{package}-{hashlib.sha1(raw).hexdigest()[:12]}")
                try:
                    judgement = judge(raw)
                except Exception as error:
                    judgement = {"error": repr(error)}
                with open(f"{name}.eml", "wb") as output:
                    output.write(raw)
                with open(f"{name}.json", "w") as output:
                    json.dump(judgement, output)
                counts[package] = counts.get(package, 0) + 1
    print(json.dumps(counts))


main(*sys.argv[1:])
