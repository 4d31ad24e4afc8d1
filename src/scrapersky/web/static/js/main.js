// Every page loads this one module; each part looks for its own elements and does nothing without them.
import { startFrame } from "./frame.js";
import { startToasts } from "./toasts.js";
import { startCopying } from "./clipboard.js";
import { startLive } from "./live.js";

startFrame();
startToasts();
startCopying();
startLive();
