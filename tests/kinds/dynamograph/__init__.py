"""DynamoGraphDeployment in both API versions."""
