import { appRouter } from '@/modules/router';
import { env } from '@/server/env';
import { createRestHandler } from '@/server/rest/dispatch';
import { openApiDocument } from '@/server/rest/document';

let document: string | undefined;

export function GET(): Response {
  document ??= JSON.stringify(openApiDocument(appRouter, env().appUrl));
  return new Response(document, { headers: { 'Content-Type': 'application/json' } });
}

const handle = createRestHandler(appRouter);

const refuse = (request: Request) => handle(request);

export { refuse as DELETE, refuse as OPTIONS, refuse as PATCH, refuse as POST, refuse as PUT };
