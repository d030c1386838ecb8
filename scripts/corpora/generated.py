"""Writes messages with known texts: charset, label, transfer encoding and place are chosen by a seeded generator.

usage: generated.py COUNT SEED FILE
"""

import base64
import json
import quopri
import random
import sys

WORDS = {
    "western": "Grüße Straße über naïve café señor Ærø Åse coração déjà große Müller",
    "signs": "œuvre Škoda Žižek €20 “quoted” – dash… it’s",
    "central": "żółć źdźbło příliš žluťoučký kůň őrült tükörfúrógép Łódź čeština",
    "cyrillic": "Привет мир съешь ещё этих мягких французских булок Счёт договор",
    "ukrainian": "Привіт їжак Європа ґанок мій",
    "greek": "Καλημέρα κόσμε τιμολόγιο Αθήνα ευχαριστώ",
    "turkish": "İstanbul ışık şöyle çok Iğdır",
    "hebrew": "שלום עולם חשבונית תודה",
    "arabic": "مرحبا بالعالم فاتورة شكرا",
    "baltic": "ąžuolas šeši ēst ļoti ģimene ņemt",
    "thai": "สวัสดี ขอบคุณ ใบแจ้งหนี้",
    "vietnamese": "Xin chào Việt cảm ơn",
    "japanese": "こんにちは 会議 請求書 テスト 日本語 ありがとうございます 添付",
    "simplified": "你好 世界 发票 会议 谢谢 附件 中文",
    "traditional": "您好 世界 發票 會議 謝謝 附件 測試郵件",
    "korean": "안녕하세요 세계 송장 회의 감사합니다 첨부",
    "emoji": "🎉 party 👍🏽 ok",
    "ascii": "plain ASCII words only here",
}

# Python's codec, the words, and labels for it.
CHARSETS = [line.split() for line in """
iso-8859-1 western ISO-8859-1 iso8859-1 latin1 ISO_8859-1:1987
windows-1252 signs windows-1252 Windows-1252 cp1252
windows-1252 western windows-1252
iso-8859-15 western ISO-8859-15 latin-9
iso-8859-2 central ISO-8859-2 latin2
windows-1250 central windows-1250 cp1250
windows-1251 cyrillic windows-1251 cp1251
windows-1251 ukrainian windows-1251
koi8-r cyrillic KOI8-R
koi8-u ukrainian koi8-u
iso-8859-5 cyrillic ISO-8859-5
cp866 cyrillic ibm866 cp866
mac-cyrillic cyrillic mac-cyrillic x-mac-cyrillic
iso-8859-7 greek ISO-8859-7 greek
windows-1253 greek windows-1253
iso-8859-9 turkish ISO-8859-9
windows-1254 turkish windows-1254
iso-8859-3 turkish iso-8859-3
iso-8859-8 hebrew ISO-8859-8 iso-8859-8-i
windows-1255 hebrew windows-1255
windows-1256 arabic windows-1256
iso-8859-6 arabic iso-8859-6
iso-8859-13 baltic iso-8859-13
iso-8859-4 baltic iso-8859-4
iso-8859-10 baltic iso-8859-10
windows-1257 baltic windows-1257
iso-8859-16 central iso-8859-16
tis-620 thai tis-620 windows-874
iso-2022-jp japanese iso-2022-jp ISO-2022-JP
shift_jis japanese Shift_JIS shift-jis cp932
euc-jp japanese EUC-JP
gb2312 simplified gb2312 GB2312
gbk simplified gbk
gb18030 simplified gb18030
gb18030 emoji gb18030
hz simplified hz-gb-2312
big5 traditional big5 Big5
euc-kr korean euc-kr ks_c_5601-1987
cp949 korean cp949
iso-2022-kr korean iso-2022-kr
utf-8 emoji utf-8 UTF-8 utf8
utf-8 japanese utf-8
utf-8 cyrillic utf-8
utf-8 vietnamese utf-8
utf-8 western utf-8
utf-7 western utf-7
utf-7 simplified utf-7
utf-16 traditional utf-16
utf-16-le central utf-16le
utf-16-be cyrillic utf-16be
utf-32 emoji utf-32
mac-roman western macintosh
cp850 western ibm850 cp850
cp437 western cp437
us-ascii ascii us-ascii ascii
""".split("\n") if line]

BODIES = ["text", "html", "flowed", "part"]
HEADERS = ["subject", "name", "raw subject", "filename*", "filename", "raw filename"]
# Charsets that a header can't have, or that mean something else there.
BODIES_ONLY = ("utf-16", "utf-32", "utf-7", "hz", "iso-2022-kr")


def text_of(choose, words, codec):
    chosen = [choose.choice(WORDS[words].split()) for _ in range(choose.randint(1, 6))]
    if choose.random() < 0.5:
        chosen.insert(choose.randint(0, len(chosen)), choose.choice(["Re:", "INV-204", "2026", "ok"]))
    return " ".join(word for word in chosen if is_in(word, codec)) or "x"


def is_in(word, codec):
    try:
        word.encode(codec)
        return True
    except UnicodeEncodeError:
        return False


def encoded_words(choose, text, codec, label, fold):
    words = text.split(" ")
    size = choose.randint(1, len(words))
    pieces = [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
    pieces = [piece + " " for piece in pieces[:-1]] + pieces[-1:]
    return choose.choice(fold).join(encoded_word(choose, piece.encode(codec), label) for piece in pieces)


def encoded_word(choose, content, label):
    if choose.random() < 0.5:
        return f"=?{label}?B?{base64.b64encode(content).decode()}?="
    letters = (chr(byte) if chr(byte).isalnum() and byte < 128 else "_" if byte == 32 else f"={byte:02X}" for byte in content)
    return f"=?{label}?Q?{''.join(letters)}?="


def body(choose, text, codec, label, place):
    content = text.encode(codec)
    encoding = choose.choice(["quoted-printable", "base64", "8bit"])
    if codec.startswith(("utf-16", "utf-32")):
        encoding = "base64"
    if encoding == "base64":
        content = base64.encodebytes(content)
    elif encoding == "quoted-printable":
        content = quopri.encodestring(content, quotetabs=True).replace(b"\x1b", b"=1B")
    content_type = {"html": "text/html", "flowed": "text/plain; format=flowed"}.get(place, "text/plain")
    quoted = choose.choice([label, f'"{label}"'])
    part = f"Content-Type: {content_type}; charset={quoted}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + content
    if place != "part":
        return part
    return b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + part + b"\n--b\nContent-Type: application/pdf\n\nx\n--b--\n"


def header(choose, text, codec, label, place):
    if place in ("subject", "name"):
        field = "Subject: " if place == "subject" else "From: "
        address = " <li@far.example>" if place == "name" else ""
        return f"{field}{encoded_words(choose, text, codec, label, [' ', chr(10) + ' '])}{address}\n\nx\n".encode()
    declared = f"Content-Type: text/plain; charset={label}\n\n".encode() + text.encode(codec) + b"\n"
    if place == "raw subject":
        return b"Subject: " + text.encode(codec) + b"\n" + declared
    if place == "filename*":
        name = f"filename*={label.split(':')[0]}''".encode() + "".join(f"%{byte:02X}" for byte in text.encode(codec)).encode()
    elif place == "filename":
        name = f'filename="{encoded_words(choose, text, codec, label, [" "])}"'.encode()
    else:
        name = b'filename="' + text.encode(codec) + b'"'
    file = b"Content-Type: application/pdf\nContent-Disposition: attachment; " + name + b"\n\nx\n"
    return b"Content-Type: multipart/mixed; boundary=b\n\n--b\n" + declared + b"--b\n" + file + b"--b--\n"


def main(count, seed, file):
    choose = random.Random(int(seed))
    with open(file, "w") as output:
        for _ in range(int(count)):
            codec, words, *labels = choose.choice(CHARSETS)
            label = choose.choice(labels)
            place = choose.choice(BODIES if codec.startswith(BODIES_ONLY) else BODIES + HEADERS)
            text = text_of(choose, words, codec)
            raw = (body if place in BODIES else header)(choose, text, codec, label, place)
            sender = b"" if place == "name" else b"From: li@far.example\n"
            raw = (sender + b"To: ann@near.example\n" + raw).replace(b"\n", b"\r\n")
            case = {"case": f"{label}, {place}", "place": place, "text": text, "raw": base64.b64encode(raw).decode()}
            output.write(json.dumps(case) + "\n")


main(*sys.argv[1:])
