// Loaded with node --import: runs TypeScript in this process and, unlike other ways, in its worker threads too.
import { register } from 'tsx/esm/api';

register();
