import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = {
  name: string;
  content: Uint8Array | string;
  encrypted?: boolean;
  /** A deflate stream in place of the content. */
  packed?: Buffer;
  /** The size that the file claims to unpack to. */
  claimedBytes?: number;
};

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const DEFLATE = 8;

/** A zip file. */
export function zip(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content, encrypted = false, claimedBytes, ...given } of entries) {
    const bytes = Buffer.from(content);
    const packed = given.packed ?? deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 1 : 0, 2);
    fields.writeUInt16LE(DEFLATE, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.byteLength, 14);
    fields.writeUInt32LE(claimedBytes ?? bytes.byteLength, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([uint32(LOCAL_SIGNATURE), fields, Buffer.from(name), packed]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([uint32(CENTRAL_SIGNATURE), Buffer.from([20, 0]), fields, more, Buffer.from(name)]));
    locals.push(local);
    offset += local.byteLength;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.byteLength, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, uint32(END_SIGNATURE), end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
