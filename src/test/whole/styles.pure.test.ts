import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const GLOBAL = 'src/components/document/global.css';
const ROOT = process.cwd();
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path));
const components = files.filter((path) => path.endsWith('.tsx'));
const modules = files.filter((path) => path.endsWith('.module.css'));

describe('styles', () => {
  it('has one global sheet', () => {
    expect(files.filter((path) => path.endsWith('.css') && !modules.includes(path))).toEqual([GLOBAL]);
  });

  it('uses no class name that the global sheet does not define', () => {
    const utilities = classesIn(read(GLOBAL));
    const unknown = components.flatMap((path) =>
      [...read(path).matchAll(/className(?:=|: )["']([^"']+)["']/g)]
        .flatMap(([, names = '']) => names.split(' '))
        .filter((name) => !utilities.has(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('uses every class of a module, and no other', () => {
    const used = new Map<string, Set<string>>(modules.map((path) => [path, new Set()]));
    for (const path of files.filter((name) => /\.tsx?$/.test(name))) {
      const text = read(path);
      const sheet = /import classes from '(\.[^']+)'/.exec(text)?.[1];
      if (!sheet) continue;
      const module = join(dirname(path), sheet);
      // Mantine gets all of them.
      if (/classNames(=\{|: )classes\b(?!\.)/.test(text)) used.delete(module);
      for (const [, name = ''] of text.matchAll(/\bclasses\.(\w+)/g)) used.get(module)?.add(name);
    }
    for (const [path, names] of used) expect([...names].sort(), path).toEqual([...classesIn(read(path))].sort());
  });
});

/** The classes that selectors name, without those in `:global()`. */
function classesIn(css: string): Set<string> {
  const selectors = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\{[^{}]*\}/g, '{}')
    .replace(/:global\([^)]*\)/g, '');
  return new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name));
}
