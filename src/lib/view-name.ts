import { plainText } from './wire';

/** The name of a saved view. */
export const ViewName = plainText(60).trim().min(1, 'Enter a name, such as "Bounces this week".');
