import { appRouter } from '@/modules/router';
import { allowOrigin } from '@/server/rest/cors';
import { createRestHandler } from '@/server/rest/dispatch';
import { openApiDocument } from '@/server/rest/document';
import { env } from '@/server/settings/env';

let document: string | undefined;

export function GET(request: Request): Response {
  document ??= JSON.stringify(openApiDocument(appRouter, env().appUrl));
  const headers = new Headers({ 'Content-Type': 'application/json' });
  allowOrigin(request, headers);
  return new Response(document, { headers });
}

const handle = createRestHandler(appRouter);

const refuse = (request: Request) => handle(request);

export { refuse as DELETE, refuse as OPTIONS, refuse as PATCH, refuse as POST, refuse as PUT };
