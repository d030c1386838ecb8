import { handleMetrics as route } from '@/api';

export { route as GET };
