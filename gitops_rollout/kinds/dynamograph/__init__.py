"""NVIDIA Dynamo's DynamoGraphDeployment, in both API versions."""
