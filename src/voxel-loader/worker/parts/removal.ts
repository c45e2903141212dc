// The part of the worker's program that follows plans: with repair of its own, which takes the place of the one in the program.
export { createRepairer } from '../../../repair/index.js';
