import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../../package.json';
import lock from '../../../package-lock.json';

const read = (path: string) => readFileSync(path, 'utf8');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].concat(
  readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
);

/** Returns the versions that a command would fetch or check out by a name that may not exist. */
function namedVersions(text: string): string[] {
  return [
    ...text.matchAll(/(?:git (?:checkout|switch|clone[^\n]*(?:--branch|-b))|postroom[\w-]*:)\s*(v?\d[\w.-]*)/g),
  ].map(([, name = '']) => name);
}

describe('a release', () => {
  it('has the same version in package.json, package-lock.json and the changelog', () => {
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
    const sections = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections[0]).toBe('Unreleased');
    expect(sections[1]?.split(',')[0]).toBe(version);
  });

  it('has documentation that names no version to check out, because it may not exist', () => {
    // CONTRIBUTING.md makes a tag, and checks none out.
    expect(PAGES.flatMap((page) => namedVersions(read(page)).map((name) => `${page}: ${name}`))).toEqual([]);
  });

  it.each(['git checkout v0.2.0', 'git clone --branch v1 x', 'git switch 0.1.0', 'image: postroom-app:0.1.0'])(
    'would fail with %s',
    (command) => {
      expect(namedVersions(command)).toHaveLength(1);
    },
  );
});
