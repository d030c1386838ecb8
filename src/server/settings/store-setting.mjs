import { resolve } from 'node:path';
import { z } from 'zod';
import { text } from './kinds.mjs';

const BUCKET_EXAMPLE = 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[\w.-]+(?:\/[\w.-]+)*)?$/;
const PARAMETERS = ['endpoint', 'region', 'style'];

/** @typedef {{ kind: 'file', folder: string }} FolderSetting */
/** @typedef {{ kind: 's3', bucket: string, prefix: string, endpoint: string | undefined, region: string, style?: 'virtual' }} BucketSetting */

/**
 * A folder or a bucket. Unset: a folder in DATA_DIR.
 * @param {string} folderExample
 * @param {string} ifUnset
 */
export function storeSetting(folderExample, ifUnset) {
  const message = `must look like file:${folderExample} or ${BUCKET_EXAMPLE}; leave it out for ${ifUnset}.`;
  const schema = z
    .string()
    .transform((value, ctx) => {
      const setting = parseStore(value);
      if (setting) return setting;
      ctx.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .optional();
  return text(schema, { example: BUCKET_EXAMPLE, ifUnset });
}

/**
 * @param {string} value
 * @returns {FolderSetting | BucketSetting | null}
 */
export function parseStore(value) {
  return value.startsWith('file:') ? folder(value.slice('file:'.length)) : bucket(value);
}

/**
 * @param {string} path
 * @returns {FolderSetting | null}
 */
function folder(path) {
  const plain = path.replace(/^\/\/(?=\/)/, '');
  return plain === '' || plain.includes('\0') ? null : { kind: 'file', folder: resolve(plain) };
}

/**
 * @param {string} value
 * @returns {BucketSetting | null}
 */
function bucket(value) {
  if (!URL.canParse(value)) return null;
  const { protocol, hostname, pathname, searchParams, username, password, port } = new URL(value);
  const prefix = pathname.replace(/^\/|\/$/g, '');
  const endpoint = searchParams.get('endpoint') ?? undefined;
  const isKnown = [...searchParams.keys()].every((name) => PARAMETERS.includes(name));
  const isPlain = protocol === 's3:' && !username && !password && !port && isKnown;
  const style = searchParams.get('style') ?? undefined;
  if (!isPlain || !BUCKET.test(hostname) || !PREFIX.test(prefix) || !isEndpoint(endpoint)) return null;
  if (style !== undefined && style !== 'virtual') return null;
  return { kind: 's3', bucket: hostname, prefix, endpoint, region: searchParams.get('region') || 'us-east-1', style };
}

/** @param {string | undefined} endpoint */
function isEndpoint(endpoint) {
  if (endpoint === undefined) return true;
  return URL.canParse(endpoint) && ['http:', 'https:'].includes(new URL(endpoint).protocol);
}
