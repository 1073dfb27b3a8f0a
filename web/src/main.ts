/** Entry point of the page. */
import { readReport } from "./data";

const element = document.getElementById("demur-data");
readReport(element?.textContent ?? "");
