// Loaded with node --import: TypeScript runs as it is, in this process and in its worker threads, as nothing else gives
// these the same.
import { register } from 'tsx/esm/api';

register();
