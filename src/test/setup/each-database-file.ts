import { renewDatabase, settings } from '../database';
import { setSettings } from '../settings';

// Runs before each test file that uses the database: it is as after the migrations.

await renewDatabase();
setSettings(settings);
