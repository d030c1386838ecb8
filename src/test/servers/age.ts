import { execFileSync } from 'node:child_process';

/** Opens an archive with the command of age, and lists it with tar. */
export function listWithAge(keyFile: string, archive: string): string[] {
  const decrypted = execFileSync('age', ['--decrypt', '--identity', keyFile, archive], { maxBuffer: 2 ** 30 });
  return execFileSync('tar', ['--list', '--gzip'], { input: decrypted, encoding: 'utf8' }).trim().split('\n');
}
