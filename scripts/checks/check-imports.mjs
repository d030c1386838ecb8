// `npm run check:imports [folder]`: applies the rules in .dependency-cruiser.mjs twice, to all imports and to those left
// after types are erased, because some rules exempt types.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import swc from '@swc/core';
import { cruise } from 'dependency-cruiser';
import { onAllImports, onImportsOfCode } from '../../.dependency-cruiser.mjs';

const FOLDERS = ['src', 'scripts', 'e2e'];
const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../..'));
const parseFile = swc.parseFileSync;

const all = await check(onAllImports, { areTypesErased: false });
const ofCode = await check(onImportsOfCode, { areTypesErased: true });
const violations = [...all.violations, ...ofCode.violations];
for (const { rule, from, to, comment } of violations) console.error(`${rule}: ${from} → ${to}\n  ${comment}`);
console.log(`${violations.length} forbidden imports in ${all.fileCount} files`);
process.exitCode = violations.length > 0 || all.fileCount === 0 || ofCode.fileCount === 0 ? 1 : 0;

async function check(forbidden, { areTypesErased }) {
  // dependency-cruiser's parser for TypeScript 7 doesn't support .tsx files and doesn't distinguish types from code.
  // @ts-expect-error: it returns a Module or a Script, depending on its options.
  swc.parseFileSync = (path, options) => {
    const program = parseFile(path, { ...options, tsx: path.endsWith('.tsx') });
    return areTypesErased ? { ...program, body: program.body.filter((item) => !isTypeOnly(item)) } : program;
  };
  const result = await cruise(
    FOLDERS.filter((folder) => existsSync(join(root, folder))),
    {
      baseDir: root,
      parser: 'swc',
      validate: true,
      ruleSet: { forbidden },
      doNotFollow: { path: ['node_modules', '^src/server/prisma/'] },
    },
    {
      alias: { '@': join(root, 'src') },
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  );
  const output = /** @type {import('dependency-cruiser').ICruiseResult} */ (result.output);
  const comments = new Map(forbidden.map((rule) => [rule.name, rule.comment]));
  return {
    fileCount: output.modules.filter(
      ({ source }) => /\.(tsx?|mjs)$/.test(source) && !/^(\.\.\/)*node_modules/.test(source),
    ).length,
    violations: output.summary.violations.map(({ rule, from, to, cycle }) => ({
      rule: rule.name,
      from,
      to: cycle?.map(({ name }) => name).join(' → ') ?? to,
      comment: comments.get(rule.name),
    })),
  };
}

function isTypeOnly(item) {
  if (item.type === 'ImportDeclaration') return item.typeOnly || isAllTypes(item.specifiers);
  if (item.type === 'ExportNamedDeclaration') return item.typeOnly || isAllTypes(item.specifiers);
  return false;
}

function isAllTypes(specifiers) {
  return specifiers.length > 0 && specifiers.every((specifier) => specifier.isTypeOnly);
}
