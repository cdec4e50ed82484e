import { openDeskHere } from "./desk/in-browser.ts";
import { showPage } from "./views/show-page.tsx";

const place = document.querySelector("#page");
if (place !== null) showPage(openDeskHere(), place);
