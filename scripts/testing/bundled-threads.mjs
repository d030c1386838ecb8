// A plugin of Vitest. The worker threads of the app are bundled for the tests, as they are for the app: to load their sources one by
// one would take a second of processor time at every start of a thread, and the tests start hundreds.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundled, inputsOf, THREAD } from '../steps/programs.mjs';

/** @param {string} root of the repository */
export function bundledThreads(root) {
  return {
    name: 'bundled-threads',
    enforce: /** @type {const} */ ('pre'),
    /** @this {{ addWatchFile: (path: string) => void }} @param {string} code @param {string} id */
    async transform(code, id) {
      const [file = ''] = id.split('?');
      if (!file.startsWith(join(root, 'src')) || !file.endsWith('.ts')) return undefined;
      const threads = [...code.matchAll(THREAD)].map(([url, path = '']) => ({
        url,
        path: resolve(dirname(file), path),
      }));
      let changed = code;
      for (const { url, path } of threads.filter(({ path }) => existsSync(path))) {
        const script = relative(root, path);
        changed = changed.replaceAll(url, `new URL('${pathToFileURL(await bundled(root, script)).href}')`);
        for (const input of inputsOf(root, script)) this.addWatchFile(join(root, input));
      }
      return changed === code ? undefined : { code: changed, map: null };
    },
  };
}
