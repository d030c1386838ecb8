import { curlOf, nodeOf, pythonOf } from '@/lib/request-code';

export const LANGUAGES = { curl: 'curl', node: 'Node.js', python: 'Python' };
export const CODE = { curl: curlOf, node: nodeOf, python: pythonOf };

export type Language = keyof typeof LANGUAGES;
