import { appRouter } from '@/modules/router';
import { env } from '@/server/env';
import { openApiDocument } from '@/server/rest/document';

let document: string | undefined;

export function GET(): Response {
  document ??= JSON.stringify(openApiDocument(appRouter, env().appUrl));
  return new Response(document, { headers: { 'Content-Type': 'application/json' } });
}
