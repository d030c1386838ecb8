import { sweepDeliveries } from '@/modules/webhooks/service';
import { createCronHandler } from '@/server/rest/cron';

const route = createCronHandler(sweepDeliveries);

export const GET = (request: Request) => route(request);
export const POST = (request: Request) => route(request);
