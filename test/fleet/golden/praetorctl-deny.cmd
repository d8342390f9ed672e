@echo off
rem Written by "praetorctl workstation install": it starts the version that install.json names.
setlocal DisableDelayedExpansion
set "D=C:\Users\d 100%%\AppData\Local\praetorctl"
if not defined PRAETORCTL_DATA_DIR set "PRAETORCTL_DATA_DIR=%D%"
set "C="
for /f "usebackq tokens=1,2 delims=:, " %%A in ("%D%\install.json") do if not defined C if "%%~A"=="current" set "C=%%~B"
set "P=%D%\versions\%C%\bin\praetorctl"
if exist "%P%" (
  if exist "C:\Program Files\nodejs\node.exe" ("C:\Program Files\nodejs\node.exe" "%P%" %* & exit /b)
  where /q node && (node "%P%" %* & exit /b)
)
echo praetorctl: error: version "%C%" or Node.js is not there. fix: run praetorctl workstation install again 1>&2
if "%~1 %~3"=="hook pre-tool" exit /b 2
if "%~1 %~3"=="hook permission" exit /b 2
exit /b 127
