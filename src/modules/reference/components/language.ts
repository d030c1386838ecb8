'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { curlOf, nodeOf, pythonOf } from '@/lib/request-code';

export const LANGUAGES = { curl: 'curl', node: 'Node.js', python: 'Python' };
export const CODE = { curl: curlOf, node: nodeOf, python: pythonOf };

/** The language of all code on the page. */
export function useLanguage() {
  return useQueryState('language', parseAsStringLiteral(['curl', 'node', 'python']).withDefault('curl'));
}
