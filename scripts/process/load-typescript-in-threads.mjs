// Loaded with node --import: runs TypeScript in worker threads alone, for a main thread that gets it another way.
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) await import('./load-typescript.mjs');
