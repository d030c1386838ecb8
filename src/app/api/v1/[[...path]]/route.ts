import { appRouter } from '@/modules/router';
import { createRestHandler } from '@/server/rest/dispatch';

const handle = createRestHandler(appRouter);

const route = (request: Request) => handle(request);

export { route as DELETE, route as GET, route as HEAD, route as OPTIONS, route as PATCH, route as POST, route as PUT };
