// Runs an instance of the app without its pages, for tests with several. Ends with the process that has started it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { start } from '@/start';

process.on('disconnect', () => process.exit(1));

const server = createServer();
const app = await start();
app.startTasks();
app.serve(server, { servePage: async (_, response) => void response.writeHead(404).end(), isDev: false });
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
