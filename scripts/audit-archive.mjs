// `npm run audit-archive -- <file>…`: verifies files of archived audit entries, and that they follow each other.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findSecretKeys, sign } from './admin/audit-signature.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { readEnvFile } from './steps/environment.mjs';

const FORMAT = 'postroom-audit-archive-1';
const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(verifyArchives, { exitCodeWhenStopped: 130 });

async function verifyArchives() {
  const files = process.argv.slice(2);
  if (files.length === 0) {
    console.error('Usage: npm run audit-archive -- <file>…');
    return 2;
  }
  readEnvFile(root);
  const keys = await findSecretKeys('Set SECRET_KEY to the key that signed the archive.');
  const archives = [];
  for (const file of files) archives.push({ file, ...(await verifyFile(file, keys)) });
  const lastOf = ({ head }) => Number(head.last_seq);
  archives.sort(
    (one, other) => Number(one.head.first_seq) - Number(other.head.first_seq) || lastOf(other) - lastOf(one),
  );
  let end;
  for (const archive of archives) {
    const { file, head } = archive;
    // Archiving that failed, or a database restored from a backup, leaves files whose entries others have as well.
    if (end?.hashes[lastOf(archive) - Number(end.head.first_seq)] === head.last_hash) {
      console.log(`${file}: its entries are in ${end.file} as well.`);
      continue;
    }
    if (end && end.head.last_hash !== head.prev_hash) throw new PlainError(`${file} doesn't continue ${end.file}.`);
    console.log(`${file}: entries ${head.first_seq} to ${head.last_seq} are unchanged.`);
    end = archive;
  }
  console.log(`The next entry must have the prev_hash ${end?.head.last_hash}.`);
  return 0;
}

async function verifyFile(file, keys) {
  if (!existsSync(file)) throw new PlainError(`There is no file ${file}.`);
  let head;
  let hash = '';
  const hashes = [];
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const parsed = parse(line, file);
    if (!head) {
      head = parsed;
      if (head.format !== FORMAT) throw new PlainError(`${file} is not an archive of audit entries.`);
      hash = head.prev_hash;
      continue;
    }
    const seq = Number(head.first_seq) + hashes.length;
    const expected = createHash('sha256').update(Buffer.from(hash, 'hex')).update(String(parsed.entry)).digest('hex');
    if (parsed.hash !== expected || parse(parsed.entry, file)[0] !== seq)
      throw new PlainError(`${file}: entry ${seq}, or one just before it, was altered.`);
    hash = expected;
    hashes.push(hash);
  }
  if (!head || hash !== head.last_hash || Number(head.first_seq) + hashes.length - 1 !== Number(head.last_seq))
    throw new PlainError(`${file}: entries are missing at the end.`);
  if (!isSigned(head, keys)) throw new PlainError(`${file} was not signed with a key in SECRET_KEY.`);
  return { head, hashes };
}

function parse(text, file) {
  try {
    return JSON.parse(text);
  } catch {
    throw new PlainError(`${file} is damaged: a line is not JSON.`);
  }
}

function isSigned({ signature, last_seq: seq, last_hash: hash }, keys) {
  const value = `${seq}:${hash}`;
  return keys.some((key) => {
    const expected = Buffer.from(sign('audit archived', value, key));
    const given = Buffer.from(String(signature));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
