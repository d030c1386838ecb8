import { handleWebhooksCron as route } from '@/api';

export { route as GET, route as POST };
