import { handleRest as route } from '@/api';

// In production the HTTP server calls the API's handlers itself (src/server/http): Next.js adds 1 ms of CPU to a request.
export { route as DELETE, route as GET, route as HEAD, route as OPTIONS, route as PATCH, route as POST, route as PUT };
