import { appRouter } from '@/modules/router';
import { createConsoleHandler } from '@/server/console-handler';

const handle = createConsoleHandler(appRouter);

const route = (request: Request) => handle(request);

export { route as GET, route as POST };
