import { startHost } from './start-host.js';

startHost({});
