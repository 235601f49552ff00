r"""Which bytes are no text, and what stands in their place: a description.

Small content is given in base64, whole. Of large content the reader gets what it is: type, size, digest, the first
bytes and, for images, width and height.

>>> print(binary_description(b"\x89PNG\r\n\x1a\n\x00", size=9, digest="", whole=True), end="")
[binary image/png, 9 bytes, base64]
iVBORw0KGgoA

Whether there is anything to clean at all is answered at the speed of memory, for mostly there is not.
"""

from __future__ import annotations

from overspill._lite import compile_pattern

REPLACEMENT = "\ufffd"

_SURROGATES = "[\ud800-\udfff]"


def without_surrogates(text: str) -> tuple[str, int]:
    """`text` with lone surrogates, which no file can hold, as U+FFFD; and how many there were."""
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        return compile_pattern(_SURROGATES).subn(REPLACEMENT, text)
    return text, 0


SAMPLE_BYTES = 65_536
SMALL = 4_096
HEADER = 512  # bytes in which a format that is no text shows it

# Everything a text has no use for. Tab, line ends, form feed, backspace, bell, escape and the two
# shifts of a terminal's character set are not among them.
CONTROLS = bytes([*range(1, 7), *range(0x10, 0x1B), *range(0x1C, 0x20), 0x7F])

_A_FEW = 2  # however short the text
_ALL_NULS = 0.30  # above this even NUL-separated lists are not what it is
_MANY_NULS = 0.10
_MANY_CONTROLS = 0.05
_SOME_CONTROLS = 0.005
_MUCH_DAMAGE = 0.30

_TAR_AT = 257
_PDF = b"%PDF-"  # which has no NUL and no control in its first lines

# At the start of the content unless an offset is given.
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, _PDF, "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"\x00asm", "application/wasm"),
    (0, b"!<arch>\n", "application/x-archive"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"\x93NUMPY", "application/x-npy"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"wOF2", "font/woff2"),
    (0, b"wOFF", "font/woff"),
    (0, b"\x00\x01\x00\x00\x00", "font/ttf"),
    (0, b"OTTO", "font/otf"),
    (_TAR_AT, b"ustar", "application/x-tar"),
)

_FAT_BINARY = b"\xca\xfe\xba\xbe"
_FIRST_CLASS_VERSION = 45

# Markers of a JPEG that begin a frame, and so carry its size.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def is_binary(sample: bytes) -> bool:
    r"""Whether `sample`, the first bytes of some content, holds something that is no text.

    A few NUL bytes in a text are a text; a list that separates its entries by them is one too.

    >>> [is_binary(b) for b in (b"", b"one\x00two\x00", b"caf\xe9", b"\x7fELF\x02\x01\x01\x00\x00")]
    [False, False, False, True]
    """
    return has_header(sample) or is_dense(sample)


def has_header(sample: bytes) -> bool:
    r"""Whether `sample` begins as a format does that is no text: by its name, and with bytes that no text has.

    >>> has_header(b"BM\x36\x00\x0c\x00"), has_header(b"BMW, M\xfcnchen"), has_header(b"%PDF-1.7\n%\xe2\xe3")
    (True, False, True)
    """
    start = sample[:HEADER]
    if not media_type(start):
        return False
    return count_strange(start) > 0 or (start.startswith(_PDF) and count_damage(start) > 0)


def is_dense(sample: bytes) -> bool:
    """Whether there is more in `sample` that no text has than any text may have."""
    strange = count_strange(sample)
    if not strange:
        return False
    total = len(sample)
    nuls = sample.count(0)
    controls = strange - nuls
    return (
        nuls > _A_FEW + total * _ALL_NULS
        or controls > _A_FEW + total * _MANY_CONTROLS
        or (nuls > total * _MANY_NULS and controls > total * _SOME_CONTROLS)
        or count_damage(sample) > total * _MUCH_DAMAGE
    )


def count_strange(sample: bytes) -> int:
    """How many bytes are NUL, or controls that a text has no use for."""
    return len(sample) - len(sample.translate(None, b"\0" + CONTROLS))


def media_type(start: bytes) -> str:
    """The type the magic number names, or nothing."""
    if start.startswith(_FAT_BINARY):
        # Shared by Java classes and Mach-O files for several machines; a class has its version there.
        version = int.from_bytes(start[6:8], "big")
        return "application/java-vm" if version >= _FIRST_CLASS_VERSION else "application/x-mach-binary"
    for offset, magic, name in _MAGIC:
        if start.startswith(magic, offset):
            return name
    return ""


def binary_description(start: bytes, *, size: int, digest: str, whole: bool) -> str:
    """What stands in the place of binary content that begins with `start`."""
    name = media_type(start) or "application/octet-stream"
    unit = "byte" if size == 1 else "bytes"
    if whole and size <= SMALL:
        import binascii

        return f"[binary {name}, {size:,} {unit}, base64]\n{binascii.b2a_base64(start, newline=False).decode()}\n"
    pixels = _pixels(start, name)
    lines = [f"[binary {name}, {size:,} {unit}{f', {pixels[0]} x {pixels[1]} pixels' if pixels else ''}]"]
    lines += [f"sha256: {digest}", f"first bytes: {start[:32].hex(' ')}"]
    return "\n".join(lines) + "\n"


def count_damage(sample: bytes) -> int:
    """How many bytes are no UTF-8; a character cut by the end of the sample does not count."""
    if sample.isascii():
        return 0
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        if error.start >= len(sample) - 3 and error.reason == "unexpected end of data":
            return 0
        return len(sample) - len(sample.decode("utf-8", "ignore").encode())
    return 0


def _pixels(start: bytes, name: str) -> tuple[int, int] | None:
    match name:
        case "image/png" if start[12:16] == b"IHDR":
            return int.from_bytes(start[16:20], "big"), int.from_bytes(start[20:24], "big")
        case "image/gif":
            return int.from_bytes(start[6:8], "little"), int.from_bytes(start[8:10], "little")
        case "image/jpeg":
            return _jpeg_pixels(start)
        case _:
            return None


def _jpeg_pixels(start: bytes) -> tuple[int, int] | None:
    # From marker to marker: a search would find the size of the thumbnail inside the first of them.
    at = 2
    while start[at : at + 1] == b"\xff" and at + 9 <= len(start):
        if start[at + 1] in _JPEG_FRAMES:
            return int.from_bytes(start[at + 7 : at + 9], "big"), int.from_bytes(start[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(start[at + 2 : at + 4], "big")
    return None


RARE = "\x05\x18\x1a\x7f"  # enquiry, cancel, substitute, delete: a terminal acts on them, a reader sees nothing
BARE = "\a\x0e\x0f"  # bell and the two shifts: one character, nothing to see
BYTE_ORDER_MARK = "\ufeff"

_ASCII = bytes(range(128))

# In UTF-8, where on bytes without ASCII they are found far the quickest: the 8-bit controls, and the
# characters that hide or reorder text.
__C1_CONTROLS = rb"\xc2[\x80-\x9f]"
_HIDDEN = (
    rb"\xc2[\x85\x90\x98\x9b\x9d-\x9f\xad]|\xcd\x8f|\xe1\xa0\x8e|\xe2(?:\x80[\x8b-\x8d\xa8-\xae]|\x81[\xa0-\xaf])"
    rb"|\xef(?:\xb8[\x80-\x8f]|\xbb\xbf)|\xf3\xa0[\x80-\x87]"
)


def is_clean(text: str, *, terminal: bool) -> bool:
    """Whether `text` has no NUL and no lone surrogate and, on a terminal, is shown as it is."""
    if "\0" in text or (terminal and (any(mark in text for mark in BARE + RARE) or not is_append_only(text))):
        return False
    if text.isascii():
        return True
    try:
        beyond = beyond_ascii(text)
    except UnicodeEncodeError:
        return False
    return not terminal or not (text.startswith(BYTE_ORDER_MARK) or has_controls(beyond) or has_hidden(beyond))


def is_quiet(text: str) -> bool:
    """Whether a piece of a text, whatever stands around it, has nothing for a terminal to do."""
    return text.isascii() and "\r" not in text and is_clean(text, terminal=True)


def is_append_only(text: str) -> bool:
    """Whether `text` only ever goes on: its carriage returns are all parts of line ends."""
    if "\b" in text or "\x1b" in text:
        return False
    if "\r" not in text:
        return True
    lone = text.count("\r") - text.count("\r\n")
    return not lone or lone == text.count("\r\r\n")


def beyond_ascii(text: str) -> bytes:
    """The UTF-8 of `text` without ASCII, which is what a search for rare characters has to look at."""
    return b"" if text.isascii() else text.encode().translate(None, _ASCII)


def has_controls(beyond: bytes) -> bool:
    """Whether there is one of U+0080 to U+009F."""
    return bool(beyond) and compile_pattern(__C1_CONTROLS).search(beyond) is not None


def has_hidden(beyond: bytes) -> bool:
    """Whether there may be a character that hides or reorders text, or that nobody sees."""
    return bool(beyond) and compile_pattern(_HIDDEN).search(beyond) is not None
